import type { Path, Spot } from "../source/source-spans.ts";

/** Paths whose spots a reader notes on its way: a node for every path wanted and for all above it. */
export type Watch = { readonly below: Map<string | number, Watch>; readonly spots: Spot[] };

const newWatch = (): Watch => ({ below: new Map(), spots: [] });

export function watchFor(paths: readonly Path[]): Watch {
  const root = newWatch();
  for (const path of paths) {
    let node = root;
    for (const part of path) {
      const next = node.below.get(part) ?? newWatch();
      node.below.set(part, next);
      node = next;
    }
  }
  return root;
}

/** What was noted of a path; nothing for one that was not wanted. */
export function spotsIn(root: Watch, path: Path): readonly Spot[] {
  let node: Watch | undefined = root;
  for (const part of path) node = node?.below.get(part);
  return node?.spots ?? [];
}
