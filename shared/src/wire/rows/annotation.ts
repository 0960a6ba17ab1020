import type { Acknowledgement as WireAcknowledgement, Comment as WireComment } from "@realmwatch/proto/svc/v1/query_pb";
import type { Acknowledgement, Comment } from "../../model/annotation.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import { fieldReader } from "../fields/field-reader.ts";
import { timestampFromProto, timestampToProto } from "../fields/time.ts";

export const acknowledgementToProto = (acknowledgement: Acknowledgement): WireAcknowledgement => ({
  $typeName: "svc.v1.Acknowledgement",
  author: acknowledgement.author,
  onBehalfOf: acknowledgement.onBehalfOf,
  comment: acknowledgement.comment,
  sticky: acknowledgement.sticky,
  at: timestampToProto(acknowledgement.atMs),
  expiresAt: timestampToProto(acknowledgement.expiresAtMs),
});

export function acknowledgementFromProto(
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
    atMs: reader.take(timestampFromProto(`${field}.at`, wire.at), undefined) ?? 0,
    expiresAtMs: reader.take(timestampFromProto(`${field}.expiresAt`, wire.expiresAt), undefined),
  });
}

export const commentToProto = (comment: Comment): WireComment => ({
  $typeName: "svc.v1.Comment",
  id: comment.id,
  author: comment.author,
  onBehalfOf: comment.onBehalfOf,
  text: comment.text,
  at: timestampToProto(comment.atMs),
});

export function commentFromProto(field: string, wire: WireComment): Result<Comment, Refusal> {
  const reader = fieldReader();
  return reader.finish({
    id: wire.id,
    author: wire.author,
    onBehalfOf: wire.onBehalfOf,
    text: wire.text,
    atMs: reader.take(timestampFromProto(`${field}.at`, wire.at), undefined) ?? 0,
  });
}
