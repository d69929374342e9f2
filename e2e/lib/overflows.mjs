// Elements that are wider than the window, and controls that are cut off.
export const overflows = (page) =>
  page.evaluate(() => {
    const { scrollWidth } = document.documentElement;
    const beyond = (one) => one.checkVisibility() && one.getBoundingClientRect().right > window.innerWidth + 1;
    const names = (selector) => [...document.body.querySelectorAll(selector)].filter(beyond).map((one) => `${one.localName}.${one.className}`);
    const wide = scrollWidth > window.innerWidth ? [`${scrollWidth} px wide: ${names("*").slice(0, 3)}`] : [];
    return [...wide, ...names("a, button, input, textarea, summary").map((name) => `cut off: ${name}`)];
  });
