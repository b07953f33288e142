// Follows the focus through the page that it is evaluated in: which controls it reaches, and whether it is visible at each.

globalThis.focusTest = (() => {
  const CONTROLS = 'a[href], button, input, select, textarea, summary, [role=button], [tabindex="0"]';
  const LOOKS = ['outline', 'box-shadow', 'border-color', 'background-color', 'color', 'text-decoration'];
  const reached = new Set();
  let before;

  const nameOf = (element) => element.outerHTML.slice(0, 160);

  /** How a control looks, with its neighbors, which may draw the focus for it. */
  function look(element) {
    const looks = [element, element.parentElement, element.firstElementChild, element.nextElementSibling].filter((each) => each !== null);
    // Charts have a frame, whose attributes change.
    const frame = element.matches('svg') ? (element.firstElementChild?.outerHTML ?? '') : '';
    return looks
      .flatMap((each) => ['', '::before', '::after'].map((pseudo) => getComputedStyle(each, pseudo)))
      .map((style) => LOOKS.map((property) => style.getPropertyValue(property)).join())
      .concat(frame)
      .join(';');
  }

  /** The controls that Tab must reach. Of radio buttons and items of a group it reaches one, and arrow keys the others. */
  const controls = () =>
    [...document.querySelectorAll(CONTROLS)].filter(
      (control) =>
        control.tabIndex >= 0 &&
        !control.disabled &&
        control.closest('[aria-hidden=true], [inert]') === null &&
        control.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
    );

  return {
    begin: () => {
      document.activeElement?.blur();
      return controls().length;
    },
    /** Call it after each Tab. @returns the control that had the focus before, if that was not visible */
    moved: () => {
      const left = before;
      const active = document.activeElement;
      const invisible = left?.element.isConnected && left.element !== active && look(left.element) === left.look ? nameOf(left.element) : null;
      before = active === null || active === document.body ? undefined : { element: active, look: look(active) };
      reached.add(active);
      return invisible;
    },
    unreached: () =>
      controls()
        .filter((control) => !reached.has(control))
        .map(nameOf),
  };
})();
