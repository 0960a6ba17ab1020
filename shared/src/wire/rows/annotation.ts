import type { Acknowledgement as WireAcknowledgement, Comment as WireComment } from "@realmwatch/proto/svc/v1/query_pb";
import type { Acknowledgement, Comment } from "../../model/annotation.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import { fieldReader } from "../fields/field-reader.ts";
import { instantOf, timestampOf } from "../fields/time.ts";

export const wireAcknowledgementOf = (acknowledgement: Acknowledgement): WireAcknowledgement => ({
  $typeName: "svc.v1.Acknowledgement",
  author: acknowledgement.author,
  onBehalfOf: acknowledgement.onBehalfOf,
  comment: acknowledgement.comment,
  sticky: acknowledgement.sticky,
  at: timestampOf(acknowledgement.atMs),
  expiresAt: timestampOf(acknowledgement.expiresAtMs),
});

export function acknowledgementOf(
  field: string,
  wire: WireAcknowledgement | undefined,
): Result<Acknowledgement | undefined, Refusal> {
  const reader = fieldReader();
  if (wire === undefined) return reader.finish(undefined);
  return reader.finish({
    author: wire.author,
    onBehalfOf: wire.onBehalfOf,
    comment: wire.comment,
    sticky: wire.sticky ?? false,
    atMs: reader.take(instantOf(`${field}.at`, wire.at), undefined) ?? 0,
    expiresAtMs: reader.take(instantOf(`${field}.expiresAt`, wire.expiresAt), undefined),
  });
}

export const wireCommentOf = (comment: Comment): WireComment => ({
  $typeName: "svc.v1.Comment",
  id: comment.id,
  author: comment.author,
  onBehalfOf: comment.onBehalfOf,
  text: comment.text,
  at: timestampOf(comment.atMs),
});

export function commentOf(field: string, wire: WireComment): Result<Comment, Refusal> {
  const reader = fieldReader();
  return reader.finish({
    id: wire.id,
    author: wire.author,
    onBehalfOf: wire.onBehalfOf,
    text: wire.text,
    atMs: reader.take(instantOf(`${field}.at`, wire.at), undefined) ?? 0,
  });
}
