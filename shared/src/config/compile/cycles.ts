import type { DocumentPath } from "../../text/document-path.ts";

/** A reference from one node to another, and where it is written. */
export type Edge = { readonly to: string; readonly path: DocumentPath };
export type Cycle = {
  /** The nodes in order; the last one refers to the first. */
  readonly nodes: readonly string[];
  /** Where the first node refers to the next. */
  readonly path: DocumentPath;
};

/**
 * The cycles of a graph, each begun at its first node in the map's order that is in none told before: every node that
 * is on a cycle is told of, though not every way round. References to nodes that the map does not hold are ignored.
 */
export function findCycles(edges: ReadonlyMap<string, readonly Edge[]>): readonly Cycle[] {
  const knotted = nodesThatNeverEnd(edges);
  const told = new Set<string>();
  const cycles: Cycle[] = [];
  for (const start of edges.keys()) {
    if (!knotted.has(start) || told.has(start)) continue;
    const cycle = cycleThrough(start, edges, knotted);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const node of cycle.nodes) told.add(node);
  }
  return cycles;
}

/** What is left after taking away, again and again, the nodes that refer to nothing that is left. */
function nodesThatNeverEnd(edges: ReadonlyMap<string, readonly Edge[]>): ReadonlySet<string> {
  const left = new Set(edges.keys());
  const openEdges = new Map<string, number>();
  const referrers = new Map<string, string[]>();
  for (const [from, targets] of edges) {
    const inside = targets.filter(({ to }) => edges.has(to));
    openEdges.set(from, inside.length);
    for (const { to } of inside) {
      const known = referrers.get(to);
      if (known === undefined) referrers.set(to, [from]);
      else known.push(from);
    }
  }
  const ended = [...left].filter((node) => openEdges.get(node) === 0);
  for (let node = ended.pop(); node !== undefined; node = ended.pop()) {
    left.delete(node);
    for (const from of referrers.get(node) ?? []) {
      const open = (openEdges.get(from) ?? 0) - 1;
      openEdges.set(from, open);
      if (open === 0) ended.push(from);
    }
  }
  return left;
}

/** A shortest way from `start` back to it, breadth first. */
function cycleThrough(
  start: string,
  edges: ReadonlyMap<string, readonly Edge[]>,
  within: ReadonlySet<string>,
): Cycle | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const node of queue) {
    for (const { to } of edges.get(node) ?? []) {
      if (to === start) {
        const nodes = wayBack(node, cameFrom);
        const path = edges.get(start)?.find((edge) => edge.to === (nodes[1] ?? start))?.path ?? [];
        return { nodes, path };
      }
      if (!within.has(to) || cameFrom.has(to)) continue;
      cameFrom.set(to, node);
      queue.push(to);
    }
  }
  return undefined;
}

function wayBack(last: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const nodes = [last];
  for (let node = cameFrom.get(last); node !== undefined; node = cameFrom.get(node)) nodes.push(node);
  return nodes.reverse();
}
