import type { DocumentPath } from "../../text/document-path.ts";

/** Reference from one node to another, with its path in the document. */
export type Edge = { readonly to: string; readonly path: DocumentPath };
type Cycle = {
  /** Nodes in order. The last one refers to the first. */
  readonly nodes: readonly string[];
  /** Path of the reference from the first node to the second. */
  readonly path: DocumentPath;
};

/**
 * Finds cycles of a graph so that every node on a cycle is in at least one of them; not all cycles are listed. Each
 * starts at the first node, in map order, that is in no earlier cycle. References to nodes outside the map are ignored.
 */
export function findCycles(edges: ReadonlyMap<string, readonly Edge[]>): readonly Cycle[] {
  const candidates = nodesThatReachCycles(edges);
  const covered = new Set<string>();
  const cycles: Cycle[] = [];
  for (const start of edges.keys()) {
    if (!candidates.has(start) || covered.has(start)) continue;
    const cycle = cycleThrough(start, edges, candidates);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const node of cycle.nodes) covered.add(node);
  }
  return cycles;
}

/** Nodes that remain after repeatedly removing those without a reference to a remaining node. */
function nodesThatReachCycles(edges: ReadonlyMap<string, readonly Edge[]>): ReadonlySet<string> {
  const remaining = new Set(edges.keys());
  const remainingEdges = new Map<string, number>();
  const referrers = new Map<string, string[]>();
  for (const [from, targets] of edges) {
    const inside = targets.filter(({ to }) => edges.has(to));
    remainingEdges.set(from, inside.length);
    for (const { to } of inside) referrers.getOrInsertComputed(to, () => []).push(from);
  }
  const removable = [...remaining].filter((node) => remainingEdges.get(node) === 0);
  for (let node = removable.pop(); node !== undefined; node = removable.pop()) {
    remaining.delete(node);
    for (const from of referrers.get(node) ?? []) {
      const open = (remainingEdges.get(from) ?? 0) - 1;
      remainingEdges.set(from, open);
      if (open === 0) removable.push(from);
    }
  }
  return remaining;
}

/** Shortest path from `start` back to itself, found breadth-first. */
function cycleThrough(
  start: string,
  edges: ReadonlyMap<string, readonly Edge[]>,
  within: ReadonlySet<string>,
): Cycle | undefined {
  const previous = new Map<string, string>();
  const queue = [start];
  for (const node of queue) {
    for (const { to } of edges.get(node) ?? []) {
      if (to === start) {
        const nodes = pathTo(node, previous);
        const path = edges.get(start)?.find((edge) => edge.to === (nodes[1] ?? start))?.path ?? [];
        return { nodes, path };
      }
      if (!within.has(to) || previous.has(to)) continue;
      previous.set(to, node);
      queue.push(to);
    }
  }
  return undefined;
}

function pathTo(last: string, previous: ReadonlyMap<string, string>): readonly string[] {
  const nodes = [last];
  for (let node = previous.get(last); node !== undefined; node = previous.get(node)) nodes.push(node);
  return nodes.reverse();
}
