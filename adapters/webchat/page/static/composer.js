// Writing: sending, drafts that survive moving between places, examples, and commands that are pressed rather than typed.
import { newId, postMessage, postThread } from './api.js';
import { closeCompletion, complete, completionKey } from './completion.js';
import { go, panes, placeKey, placeOf, scrollToEnd } from './places.js';

const draftKey = (pane) => `skein-draft:${placeKey(pane.dataset)}`;
const fieldOf = (pane) => pane.querySelector('[data-composer] textarea');

/** What was being sent, by field: the same text again keeps its id, so that a lost answer doubles nothing. */
const attempts = new WeakMap();

async function send(form) {
  const field = form.querySelector('textarea');
  const pane = form.closest('[data-pane]');
  const text = field.value.trim();
  if (text === '' || form.classList.contains('is-sending')) return;
  const known = attempts.get(field);
  const attempt = known?.text === text ? known : { id: newId(), text };
  attempts.set(field, attempt);
  closeCompletion(field);
  form.classList.add('is-sending');
  report(form, '');
  try {
    await postMessage({ ...placeOf(pane), text, id: attempt.id });
    attempts.delete(field);
    if (field.value.trim() === text) field.value = '';
    keepDraft(field);
    scrollToEnd(pane);
  } catch (error) {
    report(form, `Not sent. ${error.message} Your text is still here; press Enter to try again.`);
  } finally {
    form.classList.remove('is-sending');
    resize(field);
  }
}

function report(form, words) {
  form.querySelector('.composer-problem').textContent = words;
}

/** For browsers that do not size a field by its content. */
function resize(field) {
  if (CSS.supports('field-sizing', 'content')) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight}px`;
}

function keepDraft(field) {
  const key = draftKey(field.closest('[data-pane]'));
  if (field.value === '') sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, field.value);
}

export function restoreDrafts() {
  for (const pane of panes()) {
    const field = fieldOf(pane);
    field.value ||= sessionStorage.getItem(draftKey(pane)) ?? '';
    resize(field);
  }
}

/** The composer of the open thread, else of the channel. */
export function focusComposer() {
  fieldOf(panes().at(-1))?.focus();
}

async function press(button) {
  const problem = button.closest('.card').querySelector('.card-problem');
  button.disabled = true;
  problem.textContent = '';
  try {
    await postMessage({ ...placeOf(button), text: button.dataset.command, via: 'button', id: newId() });
  } catch (error) {
    problem.textContent = `That did not work. ${error.message}`;
  } finally {
    button.disabled = false;
  }
}

async function openThread(button) {
  const { conversation, openThread: messageId } = button.dataset;
  button.disabled = true;
  try {
    const thread = await postThread({ conversation, messageId });
    go(`/c/${conversation}/t/${thread.id}`);
  } catch (error) {
    report(
      button.closest('[data-pane]').querySelector('[data-composer]'),
      `The thread could not be opened. ${error.message}`,
    );
  } finally {
    button.disabled = false;
  }
}

function useExample(button) {
  const field = fieldOf(button.closest('[data-pane]'));
  field.value = button.dataset.example;
  field.focus();
  keepDraft(field);
  resize(field);
}

function onClick(event) {
  const button = event.target.closest('button');
  if (button?.dataset.command) void press(button);
  else if (button?.dataset.openThread) void openThread(button);
  else if (button?.dataset.example) useExample(button);
  else if (button?.matches('[data-send]')) void send(button.form);
  else if (button?.matches('[data-to-newest]')) scrollToEnd(button.closest('[data-pane]'));
}

function onKey(event) {
  const field = event.target;
  if (!field.matches?.('[data-composer] textarea')) {
    const isTyping = field.matches?.('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    focusComposer();
    return;
  }
  if (completionKey(field, event)) {
    event.preventDefault();
    event.stopPropagation();
  } else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    void send(field.form);
  }
}

export function startComposer() {
  document.addEventListener('input', (event) => {
    if (!event.target.matches('[data-composer] textarea')) return;
    keepDraft(event.target);
    resize(event.target);
    complete(event.target);
  });
  document.addEventListener('keydown', onKey, true);
  document.addEventListener('click', onClick);
}
