// Applies the reader's choice of theme before the page is first painted. Without a choice the system decides.
(() => {
  const KEY = 'skein-theme';
  const NAMES = { light: 'light', dark: 'dark', auto: 'automatic' };
  const NEXT = { auto: 'light', light: 'dark', dark: 'auto' };

  const read = () => {
    try {
      return localStorage.getItem(KEY) ?? 'auto';
    } catch {
      return 'auto';
    }
  };
  let theme = read() in NAMES ? read() : 'auto';

  const apply = () => {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const name of document.querySelectorAll('[data-theme-name]')) name.textContent = NAMES[theme];
  };
  const change = (event) => {
    if (!event.target.closest('[data-theme-toggle]')) return;
    theme = NEXT[theme];
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // A browser that keeps nothing still shows the theme until it is closed.
    }
    apply();
  };

  apply();
  addEventListener('DOMContentLoaded', apply);
  addEventListener('htmx:afterSettle', apply);
  addEventListener('click', change);
})();
