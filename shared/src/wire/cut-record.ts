import { toBinary } from "@bufbuild/protobuf";
import type { HistoryRecord as ProtoRecord } from "@realmwatch/proto/svc/v1/query_pb";
import { type RealmEvent, RealmEventSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { truncateUtf8, utf8Length } from "../text/utf8.ts";

/** Maximum size of the message of a record, bytes; well below NATS' default message limit of 1 MiB. */
export const maxRecordBytes = 512 * 1024;
/** Size that a longer length prefix and `truncated` can add, bytes. */
const slackBytes = 16;
const shortTextBytes = 256;

/**
 * [FD75] Encodes the message of a record in at most `maxBytes`. A larger one loses first the end of its output, then that
 * of its comment, then those of the other texts of users, and `truncated` is set; what is left may still be larger.
 */
export function encodeRealmEvent(whole: RealmEvent, maxBytes: number): Uint8Array {
  let event = whole;
  let data = toBinary(RealmEventSchema, event);
  for (const cut of cuts) {
    const excess = data.length - maxBytes;
    if (excess <= 0) break;
    event = withRecord(event, (proto) => ({ ...cut(proto, excess + slackBytes), truncated: true }));
    data = toBinary(RealmEventSchema, event);
  }
  return data;
}

const withRecord = (event: RealmEvent, change: (record: ProtoRecord) => ProtoRecord): RealmEvent => ({
  ...event,
  record: event.record && change(event.record),
});

const cutBy = (text: string, bytes: number): string => truncateUtf8(text, utf8Length(text) - bytes);
const shorten = (text: string): string => truncateUtf8(text, shortTextBytes);

const cuts: readonly ((record: ProtoRecord, excessBytes: number) => ProtoRecord)[] = [
  (record, excess) => ({ ...record, output: cutBy(record.output, excess) }),
  (record, excess) => ({ ...record, comment: cutBy(record.comment, excess) }),
  ({ acknowledgement, downtime, deletedComment, ...record }) => ({
    ...record,
    acknowledgement: acknowledgement && { ...acknowledgement, comment: shorten(acknowledgement.comment) },
    downtime: downtime && { ...downtime, comment: shorten(downtime.comment) },
    deletedComment: deletedComment && { ...deletedComment, text: shorten(deletedComment.text) },
  }),
  ({ acknowledgement, downtime, deletedComment, ...record }) => ({
    ...record,
    ...withShortAuthor(record),
    acknowledgement: acknowledgement && withShortAuthor(acknowledgement),
    downtime: downtime && withShortAuthor(downtime),
    deletedComment: deletedComment && withShortAuthor(deletedComment),
  }),
];

const withShortAuthor = <T extends { readonly author: string; readonly onBehalfOf: string }>(written: T): T => ({
  ...written,
  author: shorten(written.author),
  onBehalfOf: shorten(written.onBehalfOf),
});
