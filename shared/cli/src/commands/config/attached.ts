import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import type { Attachments } from "@realmwatch/shared/config/diff/blast-radius";
import type { Result } from "@realmwatch/shared/model/result";
import { decodeField } from "@realmwatch/shared/wire/fields/message-codec";
import { acknowledgementCodec, commentCodec } from "@realmwatch/shared/wire/rows/annotation";
import { downtimeCodec } from "@realmwatch/shared/wire/rows/downtime";
import { refText } from "../../output/format-object.ts";

const known = <T>(read: Result<T, unknown>): readonly T[] => (read.ok ? [read.value] : []);

/** Acknowledgements, downtimes and comments by object reference. Values of a newer server that cannot be read are skipped. */
export function attachedTo(rows: readonly StatusRow[]): Readonly<Record<string, Attachments>> {
  const entries = rows.map(({ object, acknowledgement, downtimes, comments }): [string, Attachments] => [
    refText(object),
    {
      acknowledgement:
        acknowledgement && known(decodeField(acknowledgementCodec, acknowledgement, "acknowledgement"))[0],
      downtimes: downtimes.flatMap((downtime) => known(decodeField(downtimeCodec, downtime, "downtimes"))),
      comments: comments.flatMap((comment) => known(decodeField(commentCodec, comment, "comments"))),
    },
  ]);
  const hasAny = ({ acknowledgement, downtimes, comments }: Attachments): boolean =>
    acknowledgement !== undefined || downtimes.length + comments.length > 0;
  return Object.fromEntries(entries.filter(([, attached]) => hasAny(attached)));
}
