// Measures the page that it is evaluated in, in CSS pixels, and returns what is wrong with its layout, one line each. Text is measured where it is
// drawn (Range.getClientRects), so that it does not matter which style breaks or widens it.

(() => {
  /** Screens below this width have items as stacked rows. */
  const STACKED_BELOW = 961;
  /** Screens below this width are phones and small tablets, operated by finger. */
  const FINGERS_BELOW = 769;
  const MIN_TARGET_HEIGHT = 44;
  /** Below this, iOS zooms in when a field gets the focus. */
  const MIN_FIELD_FONT = 16;
  /** A word longer than this part of the screen cannot stay whole within margins and a box at 320 pixels: an API key, the id of one. */
  const LONGEST_WORD = 0.55;

  const screen = document.documentElement.clientWidth;
  const problems = [];
  const nameOf = (element) =>
    `<${element.tagName.toLowerCase()}> ${JSON.stringify((element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 60))}`;

  /** Drawn, and neither clipped to a pixel for screen readers alone nor a hidden copy that a widget measures itself with. */
  function isSeen(element) {
    if (element.closest('[aria-hidden=true]') !== null) return false;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    for (let each = element; each !== null && each !== document.body; each = each.parentElement) {
      const { width, height } = each.getBoundingClientRect();
      if ((width <= 1 || height <= 1) && getComputedStyle(each).overflow !== 'visible') return false;
    }
    return true;
  }

  if (document.documentElement.scrollWidth > screen) problems.push(`the page is ${document.documentElement.scrollWidth} wide`);

  for (const table of document.querySelectorAll('table')) {
    if (!isSeen(table)) continue;
    if (screen < STACKED_BELOW) problems.push(`a table instead of stacked rows: ${nameOf(table)}`);
    const { left, right } = table.getBoundingClientRect();
    let [from, to] = [0, screen];
    // A card shows what is beyond its edge, where it does not belong.
    const card = table.closest('.card')?.getBoundingClientRect();
    if (card !== undefined) [from, to] = [card.left, card.right];
    for (let box = table.parentElement; box !== null && box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflowX === 'visible') continue;
      const edges = box.getBoundingClientRect();
      [from, to] = [Math.max(from, edges.left), Math.min(to, edges.right)];
    }
    if (left < from - 1 || right > to + 1)
      problems.push(`a table of ${Math.round(right - left)} in a box of ${Math.round(to - from)}: ${nameOf(table)}`);
  }

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const parent = text.parentElement;
    if (text.data.trim() === '' || parent === null || parent.closest('svg, script, style, noscript') !== null || !isSeen(parent)) continue;
    // A line may end after a dot, a hyphen or a slash.
    for (const { 0: word, index } of text.data.matchAll(/[^\s.\-‐–—/]+/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const parts = [...range.getClientRects()].filter(({ width }) => width > 0);
      // A first letter in another style is a part of its own, of another height.
      const isBroken = parts.some((part) => part.top >= parts[0].bottom - 1 || part.bottom <= parts[0].top + 1);
      const width = parts.reduce((sum, part) => sum + part.width, 0);
      if (isBroken && width < LONGEST_WORD * screen) problems.push(`broken: ${JSON.stringify(word)} in ${nameOf(parent)}`);
    }
  }

  /** Text next to the link, in its own block. */
  function isWithinText(link) {
    if (getComputedStyle(link).display !== 'inline') return false;
    let block = link.parentElement;
    while (block !== null && getComputedStyle(block).display === 'inline') block = block.parentElement;
    return (block?.textContent ?? '').trim() !== link.textContent.trim();
  }

  const TARGETS =
    'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=option], [role=tab], [role^=menuitem], [role=switch]';
  if (screen < FINGERS_BELOW) {
    for (const target of document.querySelectorAll(TARGETS)) {
      // What an element contains is pressed together with it.
      if (!isSeen(target) || target.parentElement?.closest(TARGETS) || (target.matches('a') && isWithinText(target))) continue;
      const labels = target.matches('[type=checkbox], [type=radio]') ? [...target.labels] : [];
      const height = Math.max(...[target, ...labels].map((each) => each.getBoundingClientRect().height));
      if (height < MIN_TARGET_HEIGHT - 0.5) problems.push(`${height.toFixed(1)} high: ${nameOf(target)}`);
    }
    for (const field of document.querySelectorAll('input:not([type=hidden], [type=checkbox], [type=radio], [type=file]), textarea, select')) {
      const size = Number.parseFloat(getComputedStyle(field).fontSize);
      if (isSeen(field) && size < MIN_FIELD_FONT) problems.push(`font of ${size}: ${nameOf(field)} ${field.id}`);
    }
  }
  return problems;
})();
