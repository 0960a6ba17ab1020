import { Code, ConnectError } from "@connectrpc/connect";

/** Reason why a request was not read, for transports that have statuses of their own. */
type UnreadRequest = "too_large" | "too_many";

const reasons = new WeakMap<ConnectError, UnreadRequest>();

/** The reason that an error of this file has; undefined for any other error. */
export const unreadReasonOf = (error: ConnectError): UnreadRequest | undefined => reasons.get(error);

function unread(reason: UnreadRequest, message: string): ConnectError {
  const error = new ConnectError(message, Code.ResourceExhausted);
  reasons.set(error, reason);
  return error;
}

/** Error for a request above the size limit, wherever the excess is detected. */
export const requestTooLarge = (maxBytes: number): ConnectError =>
  unread("too_large", `the request is larger than ${maxBytes} bytes`);

/** Error for a request that the server has no memory for at present. */
export const tooManyBodies = (): ConnectError =>
  unread("too_many", "too many bytes of requests are being received: try again later");
