import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** Moves the focus to the heading of a page that was opened from another one, so that screen readers announce it. */
export function useHeadingFocus(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged) return;
        // A list that returns to its row, or a dialog, has the focus already.
        const { activeElement } = document;
        if (activeElement !== null && activeElement.closest("main, [role=dialog]") !== null) return;
        const heading = document.querySelector<HTMLElement>("main h1") ?? document.getElementById("main");
        heading?.setAttribute("tabindex", "-1");
        heading?.focus({ preventScroll: true });
      }),
    [router],
  );
}
