import { create, type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";

/**
 * Message without readable fields that is written as the bytes of `message`. The bytes are made here, once for all
 * callers that get the message.
 */
export function encodedMessage<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): MessageShape<Desc> {
  const bytes = toBinary(schema, message);
  if (bytes.length === 0) return message;
  const reader = new BinaryReader(bytes);
  const [no, wireType] = reader.tag();
  // The bytes after the first tag are written as they are: the value of its field, and all other fields.
  const data = bytes.subarray(reader.pos);
  return Object.assign(create(schema), { $unknown: [{ no, wireType, data }] });
}
