import {
  type Unpublished as ProtoUnpublished,
  UnpublishedKind as ProtoUnpublishedKind,
} from "@realmwatch/proto/svc/v1/state_pb";
import { enumCodec } from "./fields/enums.ts";

export const unpublishedKinds = ["row", "catalog", "record"] as const;
export type UnpublishedKind = (typeof unpublishedKinds)[number];

/** Rows, catalog parts or history records that an agent has and NATS does not store. */
export type Unpublished = {
  readonly kind: UnpublishedKind;
  readonly number: number;
  /** Name of the first one, such as `web1` or `web1/disk`. */
  readonly first: string;
  /** Reason why it is not stored. */
  readonly reason: string;
};

const kindCodec = enumCodec<UnpublishedKind, ProtoUnpublishedKind>(unpublishedKinds, ProtoUnpublishedKind);

export const unpublishedToProto = ({ kind, ...rest }: Unpublished): ProtoUnpublished => ({
  $typeName: "svc.v1.Unpublished",
  kind: kindCodec.toProto(kind),
  ...rest,
});

/** Length at which the texts of a message are cut. */
const maxTextLength = 200;

/** Converts the entries of a message, at most one of each kind; those of unknown kinds are left out. */
export const unpublishedFromProto = (entries: readonly ProtoUnpublished[]): readonly Unpublished[] =>
  unpublishedKinds.flatMap((kind) => {
    const found = entries.find((entry) => kindCodec.fromProto(entry.kind) === kind && entry.number > 0);
    if (found === undefined) return [];
    const { number, first, reason } = found;
    return [{ kind, number, first: first.slice(0, maxTextLength), reason: reason.slice(0, maxTextLength) }];
  });

const nouns = {
  row: ["row is", "rows are"],
  catalog: ["part of the catalog is", "parts of the catalog are"],
  record: ["history record is", "history records are"],
} as const satisfies Readonly<Record<UnpublishedKind, readonly [string, string]>>;

/** Describes in one line what is not published; empty for an empty list. */
export const describeUnpublished = (entries: readonly Unpublished[]): string =>
  entries
    .map(({ kind, number, first, reason }) => {
      const [one, many] = nouns[kind];
      return number === 1
        ? `1 ${one} not published: ${first}: ${reason}`
        : `${number} ${many} not published, the first is ${first}: ${reason}`;
    })
    .join("; ");
