/**
 * Order in which CUE prints the fields of a struct that is unified from several literals, given the labels of each.
 * CUE repeatedly takes the first label of the first literal whose first label occurs at no later place in any literal;
 * the last label of a literal is never subtracted from these counts and therefore is taken when no other is left. This
 * function gives the same result without rescanning: taking a label re-queues the literals that wait for it.
 */
export function orderFields(literals: readonly (readonly string[])[]): string[] {
  const state = createState(literals);
  const labels: string[] = [];
  let oldest = 0;
  for (;;) {
    const i = heapPop(state.ready);
    if (i !== undefined) takeLabel(state, i, labels);
    else {
      while (oldest < literals.length && headOf(state, oldest) === undefined) oldest += 1;
      const head = headOf(state, oldest);
      if (head === undefined) return labels;
      state.later.set(head, 0);
      requeueWaiting(state, head);
    }
  }
}

type OrderState = {
  readonly literals: readonly (readonly string[])[];
  /** Index of each literal's next label. */
  readonly heads: Uint32Array;
  /** Number of later occurrences of each label. */
  readonly later: Map<string, number>;
  readonly taken: Set<string>;
  /** Literals whose next label can be taken. */
  readonly ready: Heap;
  /** Waiting literals by the label they wait for. */
  readonly waiting: Map<string, number[]>;
};

function createState(literals: readonly (readonly string[])[]): OrderState {
  const state: OrderState = {
    literals,
    heads: new Uint32Array(literals.length),
    later: new Map(),
    taken: new Set(),
    ready: [],
    waiting: new Map(),
  };
  for (const literal of literals)
    for (let k = 1; k < literal.length; k += 1) {
      const label = literal[k] as string;
      state.later.set(label, (state.later.get(label) ?? 0) + 1);
    }
  for (const i of literals.keys()) enqueue(state, i);
  return state;
}

const headOf = ({ literals, heads }: OrderState, i: number): string | undefined => literals[i]?.[heads[i] as number];

function enqueue(state: OrderState, i: number): void {
  const head = headOf(state, i);
  if (head === undefined) return;
  if (state.taken.has(head) || (state.later.get(head) ?? 0) === 0) return heapPush(state.ready, i);
  state.waiting.getOrInsertComputed(head, () => []).push(i);
}

function requeueWaiting(state: OrderState, label: string): void {
  for (const i of state.waiting.get(label) ?? []) heapPush(state.ready, i);
  state.waiting.delete(label);
}

/** Takes a literal's next label. The label after it, unless it is the last, then has one later occurrence less. */
function takeLabel(state: OrderState, i: number, labels: string[]): void {
  const { literals, heads, later, taken } = state;
  const label = headOf(state, i) as string;
  heads[i] = (heads[i] as number) + 1;
  const rest = (literals[i]?.length ?? 0) - (heads[i] as number);
  const next = headOf(state, i);
  if (!taken.has(label)) {
    taken.add(label);
    labels.push(label);
  }
  if (rest > 1 && next !== undefined && !taken.has(next)) {
    const left = (later.get(next) ?? 0) - 1;
    if (left >= 0) later.set(next, left);
    if (left === 0) requeueWaiting(state, next);
  }
  enqueue(state, i);
}

/** Binary heap with the smallest number first. */
type Heap = number[];

function heapPush(heap: Heap, value: number): void {
  let at = heap.push(value) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if ((heap[above] as number) <= value) break;
    heap[at] = heap[above] as number;
    at = above;
  }
  heap[at] = value;
}

function heapPop(heap: Heap): number | undefined {
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
