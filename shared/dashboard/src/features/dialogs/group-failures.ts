import type { SendFailure } from "../../api/commands/send-to-each.ts";
import { serverFailureOf } from "../../api/server/server-failure.ts";

/** Objects of one realm that failed for the same reason. `realm` is empty on an agent. */
export type FailureGroup = ReturnType<typeof serverFailureOf> & {
  readonly realm: string;
  readonly items: readonly SendFailure["item"][];
};

/** Groups failures by realm and reason, the largest group first. */
export function groupFailures(failed: readonly SendFailure[]): readonly FailureGroup[] {
  const described = failed.map(({ item, error }) => ({ item, failure: serverFailureOf(error) }));
  const groups = Map.groupBy(described, ({ item, failure }) =>
    JSON.stringify([item.realm, failure.code, failure.message]),
  );
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      return first === undefined
        ? []
        : [{ ...first.failure, realm: first.item.realm, items: group.map(({ item }) => item) }];
    })
    .sort((a, b) => b.items.length - a.items.length);
}
