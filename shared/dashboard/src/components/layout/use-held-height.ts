import { type RefObject, useLayoutEffect } from "react";

/** Events after which the pointer or the focus may have left the content. */
const releases = ["pointerover", "focusin", "keyup"] as const;

/** True while the pointer is on the content, or the focus is in a list of it. */
const isContentInUse = (): boolean =>
  document.querySelector("main:hover") !== null || document.activeElement?.closest("main .data-table") != null;

/**
 * Gives an element the height of its content, except while the content of the page is in use: then the height stays and
 * what is new covers the heading below, so that nothing moves below the pointer. Escape releases it too.
 */
export function useHeldHeight(frame: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const apply = (): void => {
      if (frame.current !== null && content.current !== null)
        frame.current.style.height = `${content.current.offsetHeight}px`;
    };
    const applyUnlessInUse = (): void => {
      if (!isContentInUse()) apply();
    };
    const release = (event: Event): void => {
      if (event instanceof KeyboardEvent && event.key === "Escape") apply();
      else applyUnlessInUse();
    };
    apply();
    const observer = new ResizeObserver(applyUnlessInUse);
    if (content.current !== null) observer.observe(content.current);
    for (const name of releases) document.addEventListener(name, release);
    return () => {
      observer.disconnect();
      for (const name of releases) document.removeEventListener(name, release);
    };
  }, [frame, content]);
}
