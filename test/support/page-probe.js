// Runs inside the page under test and measures what a person would see there. Loaded before the page's own scripts.
(() => {
  const MINIMUM = 4.5;

  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !element.closest('.visually-hidden') &&
    element.getBoundingClientRect().width > 1;

  /** Any CSS colour as [red, green, blue, alpha], alpha from 0 to 1. */
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  function rgba(colour) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  }

  const over = ([r, g, b, a], ground) =>
    [r, g, b].map((value, i) => value * a + ground[i] * (1 - a)).concat(1);

  function groundOf(element) {
    if (!element) return [255, 255, 255, 1];
    const own = rgba(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, groundOf(element.parentElement));
  }

  function luminance(colour) {
    const [r, g, b] = colour.slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function contrast(colour, ground) {
    const [bright, dark] = [luminance(over(rgba(colour), ground)), luminance(ground)].sort((a, b) => b - a);
    return (bright + 0.05) / (dark + 0.05);
  }

  function textIn(element) {
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    return own
      .map((node) => node.data)
      .join('')
      .trim();
  }

  /** Every piece of text in sight with its contrast: `{ text, contrast }`. */
  function contrasts() {
    const elements = [...document.body.querySelectorAll('*')].filter(isSeen);
    const texts = elements
      .filter((element) => textIn(element) !== '')
      .map((element) => ({ element, text: textIn(element), colour: getComputedStyle(element).color }));
    const placeholders = elements
      .filter((element) => element.placeholder && element.value === '')
      .map((element) => ({
        element,
        text: element.placeholder,
        colour: getComputedStyle(element, '::placeholder').color,
      }));
    return [...texts, ...placeholders].map(({ element, text, colour }) => ({
      text: `${element.className || element.localName}: ${text.slice(0, 40)}`,
      contrast: contrast(colour, groundOf(element)),
    }));
  }

  const nameOf = (element) =>
    `${element.localName}${element.id ? `#${element.id}` : ''} ${element.ariaLabel ?? element.textContent.trim()}`
      .replace(/\s+/g, ' ')
      .trim();

  const CONTROLS = 'a[href], button, input, textarea, select, [tabindex="0"]';

  /** Whether the focused element, or the box that is drawn around it, looks otherwise than the rest. */
  function isFocusSeen() {
    const element = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const box = element.closest('.composer-box');
    const isBoxDrawn = box !== null && getComputedStyle(box).boxShadow !== 'none';
    return isSeen(element) && ((outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || isBoxDrawn);
  }

  globalThis.pageProbe = {
    faintTexts: () => contrasts().filter((found) => !(found.contrast >= MINIMUM)),
    textCount: () => contrasts().length,
    /** What can be worked with, whether or not the pointer is near it. */
    controls: () =>
      [...document.querySelectorAll(CONTROLS)]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled)
        .map(nameOf),
    focused: () => ({ name: nameOf(document.activeElement), isSeen: isFocusSeen() }),
    /** How far the page, or a scrolling part of it, reaches beyond its right edge, in pixels. */
    overflows: () =>
      [document.documentElement, ...document.querySelectorAll('.sidebar, .scroll, .pane')]
        .map((element) => ({
          part: nameOf(element).slice(0, 40),
          px: element.scrollWidth - element.clientWidth,
        }))
        .filter(({ px }) => px > 0),
  };
})();
