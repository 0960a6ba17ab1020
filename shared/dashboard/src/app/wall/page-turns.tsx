import { useEffect, useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";

/** Time for which a screenful of a page that is longer than the screen is shown, ms. */
const turnMs = 15_000;
/** Interval in which the number of screenfuls is determined, ms. */
const countMs = 1_000;

/** Screenful that is shown, from 1, and their number. */
type Screenful = { readonly at: number; readonly of: number };

/**
 * Turns a page of the wall mode that is longer than the screen by a screenful every 15 s, and from its end to its start;
 * displays which one is shown.
 */
export function PageTurns() {
  const { clock } = useAppContext();
  const [{ at, of }, setShown] = useState<Screenful>({ at: 1, of: 1 });
  useEffect(() => clock.every(turnMs, turn), [clock]);
  useEffect(() => clock.every(countMs, () => setShown(currentScreenful())), [clock]);
  if (of === 1) return null;
  return (
    <span className="wall-turn">
      screen {at} of {of}
    </span>
  );
}

/** Height of what stays at the upper edge, px: the strip, the heading of a list, and that of the group of its rows. */
const fixedHeight = (): number =>
  [".wall-strip", ".data-table thead", ".data-table .group-row"].reduce(
    (sum, fixed) => sum + (document.querySelector<HTMLElement>(fixed)?.offsetHeight ?? 0),
    0,
  );

/** Moves the first row or card that is not wholly visible to the top. */
function turn(): void {
  const parts = [...document.querySelectorAll("main :is(tbody tr:not(.space), article)")];
  const next = parts.find((part) => part.getBoundingClientRect().bottom > innerHeight + 1);
  const top = next === undefined ? 0 : scrollY + next.getBoundingClientRect().top - fixedHeight();
  // A row that is higher than the screen would be shown for ever.
  scrollTo({ top: top > scrollY + 1 ? top : 0 });
}

function currentScreenful(): Screenful {
  const { scrollHeight } = document.documentElement;
  const step = innerHeight - fixedHeight();
  const of = Math.max(1, Math.ceil((scrollHeight - innerHeight) / step) + 1);
  const isEnd = scrollY + innerHeight >= scrollHeight - 1;
  return { at: isEnd ? of : Math.min(of, 1 + Math.round(scrollY / step)), of };
}
