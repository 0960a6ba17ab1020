import { type Libc, readTimespec } from "../libc/libc.ts";
import { SO_TIMESTAMPNS, SOL_SOCKET } from "../libc/socket-constants.ts";

const messageCount = 64;
// `struct mmsghdr` on 64-bit Linux: a msghdr of 56 bytes, the length received and 4 bytes of padding.
const headBytes = 64;
const [nameLengthAt, vectorAt, vectorsAt, controlAt, controlLengthAt, lengthAt] = [8, 16, 24, 32, 40, 56];
const vectorBytes = 16;
const nameBytes = 32;
const dataBytes = 256;
const controlBytes = 256;

/** A received message. Its buffers are valid until the next call. */
export type ReceivedMessage = {
  /** First 256 bytes. */
  readonly data: Buffer;
  /** Sender's address; for a queued error, the destination of the packet that failed. */
  readonly name: Buffer;
  /** Time at which the kernel received it, fractional Unix ms; undefined when the kernel supplies none. */
  readonly stampedMs: number | undefined;
  /** Ancillary data of this level and type; undefined when the message does not have it. */
  attached(level: number, type: number): Buffer | undefined;
};

/** Opens a reader that receives up to 64 messages per system call into memory that all calls share. */
export function openMessageReceiver(libc: Pick<Libc, "addressOf" | "receiveMessages">) {
  // One allocation: parts that only the kernel accesses would be collected if they were allocated separately.
  const memory = Buffer.allocUnsafeSlow(
    messageCount * (headBytes + vectorBytes + nameBytes + dataBytes + controlBytes),
  );
  const address = BigInt(libc.addressOf(memory.fill(0)));
  let used = 0;
  const part = (bytes: number): Buffer => {
    used += messageCount * bytes;
    return memory.subarray(used - messageCount * bytes, used);
  };
  const [heads, vectors, names] = [part(headBytes), part(vectorBytes), part(nameBytes)];
  const [data, controls] = [part(dataBytes), part(controlBytes)];
  const place = (buffer: Buffer, bytes: number): bigint =>
    address + BigInt(buffer.byteOffset - memory.byteOffset + bytes);
  for (let i = 0; i < messageCount; i++) {
    const head = i * headBytes;
    vectors.writeBigUInt64LE(place(data, i * dataBytes), i * vectorBytes);
    vectors.writeBigUInt64LE(BigInt(dataBytes), i * vectorBytes + 8);
    heads.writeBigUInt64LE(place(names, i * nameBytes), head);
    heads.writeBigUInt64LE(place(vectors, i * vectorBytes), head + vectorAt);
    heads.writeBigUInt64LE(1n, head + vectorsAt);
    heads.writeBigUInt64LE(place(controls, i * controlBytes), head + controlAt);
  }

  /** Restores the buffer lengths, which the kernel overwrites with those of the messages. */
  function reset(): void {
    for (let head = 0; head < heads.length; head += headBytes) {
      heads.writeUInt32LE(nameBytes, head + nameLengthAt);
      heads.writeUInt32LE(controlBytes, head + controlLengthAt);
    }
  }

  function messageAt(i: number): ReceivedMessage {
    const head = i * headBytes;
    const control = controls.subarray(i * controlBytes, i * controlBytes + heads.readUInt32LE(head + controlLengthAt));
    const attached = (level: number, type: number): Buffer | undefined => findAttached(control, level, type);
    const stamp = attached(SOL_SOCKET, SO_TIMESTAMPNS);
    return {
      data: data.subarray(i * dataBytes, i * dataBytes + Math.min(dataBytes, heads.readUInt32LE(head + lengthAt))),
      name: names.subarray(i * nameBytes, i * nameBytes + heads.readUInt32LE(head + nameLengthAt)),
      stampedMs: stamp === undefined || stamp.length < 16 ? undefined : readTimespec(stamp, 0),
      attached,
    };
  }

  /** Passes at most 64 waiting messages of `fd` to `take`; true when more may be waiting. */
  return function receive(fd: number, flags: number, take: (message: ReceivedMessage) => void): boolean {
    reset();
    const count = libc.receiveMessages(fd, heads, messageCount, flags);
    for (let i = 0; i < count; i++) take(messageAt(i));
    return count === messageCount;
  };
}

/** Searches a list of `struct cmsghdr`: length, level and type in 16 bytes, then the data, padded to 8. */
function findAttached(control: Buffer, level: number, type: number): Buffer | undefined {
  for (let at = 0; at + 16 <= control.length; ) {
    const bytes = control.readUInt32LE(at);
    if (bytes < 16) return undefined;
    if (control.readInt32LE(at + 8) === level && control.readInt32LE(at + 12) === type)
      return control.subarray(at + 16, at + bytes);
    at += (bytes + 7) & ~7;
  }
  return undefined;
}
