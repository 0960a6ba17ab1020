import type {
  Acknowledgement as ProtoAcknowledgement,
  Comment as ProtoComment,
} from "@realmwatch/proto/svc/v1/query_pb";
import type { Acknowledgement, Comment } from "../../model/annotation.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import { fieldReader } from "../fields/field-reader.ts";
import { timestampFromProto, timestampToProto } from "../fields/time.ts";

export const acknowledgementToProto = (acknowledgement: Acknowledgement): ProtoAcknowledgement => ({
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
  proto: ProtoAcknowledgement | undefined,
): Result<Acknowledgement | undefined, Refusal> {
  const reader = fieldReader();
  if (proto === undefined) return reader.finish(undefined);
  return reader.finish({
    author: proto.author,
    onBehalfOf: proto.onBehalfOf,
    comment: proto.comment,
    sticky: proto.sticky ?? false,
    atMs: reader.take(timestampFromProto(`${field}.at`, proto.at), undefined) ?? 0,
    expiresAtMs: reader.take(timestampFromProto(`${field}.expiresAt`, proto.expiresAt), undefined),
  });
}

export const commentToProto = (comment: Comment): ProtoComment => ({
  $typeName: "svc.v1.Comment",
  id: comment.id,
  author: comment.author,
  onBehalfOf: comment.onBehalfOf,
  text: comment.text,
  at: timestampToProto(comment.atMs),
});

export function commentFromProto(field: string, proto: ProtoComment): Result<Comment, Refusal> {
  const reader = fieldReader();
  return reader.finish({
    id: proto.id,
    author: proto.author,
    onBehalfOf: proto.onBehalfOf,
    text: proto.text,
    atMs: reader.take(timestampFromProto(`${field}.at`, proto.at), undefined) ?? 0,
  });
}
