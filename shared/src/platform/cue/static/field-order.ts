/**
 * The order in which CUE prints the fields of a struct that several literals make up, given the labels of each in
 * turn. CUE takes, again and again, the head of the first literal whose head no other literal (nor itself) still
 * wants later; the last label of a literal is never counted off, so that those come when nothing else is left. This is
 * the same walk without its rescans: what waits for a label is woken by it.
 */
export function orderFields(fronts: readonly (readonly string[])[]): string[] {
  const walk = walkOf(fronts);
  const labels: string[] = [];
  let oldest = 0;
  for (;;) {
    const i = takeFirst(walk.ready);
    if (i !== undefined) step(walk, i, labels);
    else {
      while (oldest < fronts.length && headOf(walk, oldest) === undefined) oldest += 1;
      const head = headOf(walk, oldest);
      if (head === undefined) return labels;
      walk.open.set(head, 0);
      wake(walk, head);
    }
  }
}

type Walk = {
  readonly fronts: readonly (readonly string[])[];
  /** The index of each literal's head. */
  readonly heads: Uint32Array;
  /** How often each label is still wanted later. */
  readonly open: Map<string, number>;
  readonly taken: Set<string>;
  /** Literals whose head may be taken. */
  readonly ready: Heap;
  /** Literals by the head that keeps them waiting. */
  readonly waiting: Map<string, number[]>;
};

function walkOf(fronts: readonly (readonly string[])[]): Walk {
  const walk: Walk = {
    fronts,
    heads: new Uint32Array(fronts.length),
    open: new Map(),
    taken: new Set(),
    ready: [],
    waiting: new Map(),
  };
  for (const front of fronts)
    for (let k = 1; k < front.length; k += 1) {
      const label = front[k] as string;
      walk.open.set(label, (walk.open.get(label) ?? 0) + 1);
    }
  for (const i of fronts.keys()) enqueue(walk, i);
  return walk;
}

const headOf = ({ fronts, heads }: Walk, i: number): string | undefined => fronts[i]?.[heads[i] as number];

function enqueue(walk: Walk, i: number): void {
  const head = headOf(walk, i);
  if (head === undefined) return;
  if (walk.taken.has(head) || (walk.open.get(head) ?? 0) === 0) return put(walk.ready, i);
  const waiting = walk.waiting.get(head);
  if (waiting === undefined) walk.waiting.set(head, [i]);
  else waiting.push(i);
}

function wake(walk: Walk, label: string): void {
  for (const i of walk.waiting.get(label) ?? []) put(walk.ready, i);
  walk.waiting.delete(label);
}

/** Takes the head of a literal; the one behind it, unless it is the last, is wanted once less. */
function step(walk: Walk, i: number, labels: string[]): void {
  const { fronts, heads, open, taken } = walk;
  const label = headOf(walk, i) as string;
  heads[i] = (heads[i] as number) + 1;
  const rest = (fronts[i]?.length ?? 0) - (heads[i] as number);
  const next = headOf(walk, i);
  if (!taken.has(label)) {
    taken.add(label);
    labels.push(label);
  }
  if (rest > 1 && next !== undefined && !taken.has(next)) {
    const left = (open.get(next) ?? 0) - 1;
    if (left >= 0) open.set(next, left);
    if (left === 0) wake(walk, next);
  }
  enqueue(walk, i);
}

/** A binary heap: the smallest number is its first. */
type Heap = number[];

function put(heap: Heap, value: number): void {
  let at = heap.push(value) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if ((heap[above] as number) <= value) break;
    heap[at] = heap[above] as number;
    at = above;
  }
  heap[at] = value;
}

function takeFirst(heap: Heap): number | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (let below = 1; below < heap.length; below = 2 * at + 1) {
    if (below + 1 < heap.length && (heap[below + 1] as number) < (heap[below] as number)) below += 1;
    if (last <= (heap[below] as number)) break;
    heap[at] = heap[below] as number;
    at = below;
  }
  heap[at] = last;
  return first;
}
