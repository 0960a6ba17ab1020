import { AcknowledgementSchema, CommentSchema } from "@realmwatch/proto/svc/v1/query_pb";
import type { Acknowledgement, Comment } from "../../model/annotation.ts";
import { flagField, instantField, optionalInstantField, textField } from "../fields/field-codec.ts";
import { messageCodec } from "../fields/message-codec.ts";

export const acknowledgementCodec = messageCodec<Acknowledgement, typeof AcknowledgementSchema>(AcknowledgementSchema, {
  author: ["author", textField],
  onBehalfOf: ["onBehalfOf", textField],
  comment: ["comment", textField],
  sticky: ["sticky", flagField(false)],
  atMs: ["at", instantField],
  expiresAtMs: ["expiresAt", optionalInstantField],
});

export const commentCodec = messageCodec<Comment, typeof CommentSchema>(CommentSchema, {
  id: ["id", textField],
  author: ["author", textField],
  onBehalfOf: ["onBehalfOf", textField],
  text: ["text", textField],
  atMs: ["at", instantField],
});
