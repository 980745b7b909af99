// Completes slash commands while they are typed: a listbox above the composer, driven from the keyboard or by pointing.
import { completions } from './api.js';
import { placeOf } from './places.js';

const PAUSE_MS = 60;
const IS_COMMAND = /^\s*[/!][a-z]*[^\n]*$/i;

let asked;
let timer;

const listOf = (field) => field.form.querySelector('[role=listbox]');
const isOpen = (field) => !listOf(field).hidden;
const options = (field) => [...listOf(field).children];
const selected = (field) => options(field).findIndex((option) => option.ariaSelected === 'true');

export function closeCompletion(field) {
  clearTimeout(timer);
  asked?.abort();
  listOf(field).hidden = true;
  field.removeAttribute('role');
  field.removeAttribute('aria-expanded');
  field.removeAttribute('aria-activedescendant');
}

/** Asks for choices once the reader pauses. */
export function complete(field) {
  clearTimeout(timer);
  asked?.abort();
  if (!IS_COMMAND.test(field.value)) {
    closeCompletion(field);
    return;
  }
  timer = setTimeout(() => ask(field), PAUSE_MS);
}

async function ask(field) {
  const text = field.value;
  asked = new AbortController();
  try {
    const choices = await completions(placeOf(field.closest('[data-pane]')), text, asked.signal);
    if (field.value === text && document.activeElement === field) show(field, choices);
  } catch {
    // Completion is a convenience: without an answer the reader types on.
    closeCompletion(field);
  }
}

function show(field, choices) {
  if (choices.length === 0) {
    closeCompletion(field);
    return;
  }
  const list = listOf(field);
  list.replaceChildren(...choices.map((choice, i) => optionOf(choice, `${list.id}-${i}`)));
  list.hidden = false;
  field.setAttribute('role', 'combobox');
  field.setAttribute('aria-expanded', 'true');
  // Behind a finished word nothing is chosen yet, so that Enter sends what stands there.
  select(field, /\s$/.test(field.value) ? -1 : 0);
}

function optionOf({ text, label, summary }, id) {
  const option = document.createElement('li');
  option.id = id;
  option.role = 'option';
  option.dataset.text = text;
  for (const [name, words] of [
    ['choice-label', label],
    ['choice-summary', summary],
  ]) {
    const part = document.createElement('span');
    part.className = name;
    part.textContent = words;
    option.append(part);
  }
  return option;
}

function select(field, index) {
  field.removeAttribute('aria-activedescendant');
  for (const [i, option] of options(field).entries()) {
    option.ariaSelected = String(i === index);
    if (i !== index) continue;
    field.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  }
}

function take(field, option) {
  field.value = option.dataset.text;
  field.focus();
  closeCompletion(field);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Returns true when the key was for the list and nothing else should happen. */
export function completionKey(field, event) {
  if (!isOpen(field) || event.isComposing) return false;
  const all = options(field);
  const at = selected(field);
  switch (event.key) {
    case 'ArrowDown':
      select(field, (at + 1) % all.length);
      return true;
    case 'ArrowUp':
      select(field, at <= 0 ? all.length - 1 : at - 1);
      return true;
    case 'Escape':
      closeCompletion(field);
      return true;
    case 'Tab':
      if (event.shiftKey) return false;
      take(field, all[Math.max(at, 0)]);
      return true;
    case 'Enter': {
      const isComplete = at < 0 || all[at].dataset.text.trim() === field.value.trim();
      if (isComplete || event.shiftKey) return false;
      take(field, all[at]);
      return true;
    }
    default:
      return false;
  }
}

export function startCompletion() {
  // Before the field loses focus, so that the choice is still there.
  document.addEventListener('pointerdown', (event) => {
    const option = event.target.closest('[role=option]');
    if (!option) return;
    event.preventDefault();
    take(option.closest('form').querySelector('textarea'), option);
  });
  document.addEventListener('focusout', (event) => {
    if (event.target.matches('[data-composer] textarea')) closeCompletion(event.target);
  });
}
