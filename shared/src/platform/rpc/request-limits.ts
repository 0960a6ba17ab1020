import { Code, ConnectError } from "@connectrpc/connect";

/** Error for a request above the size limit, wherever the excess is detected. */
export const requestTooLarge = (maxBytes: number): ConnectError =>
  new ConnectError(`the request is larger than ${maxBytes} bytes`, Code.ResourceExhausted);

/** Error for a request that the server has no memory for at present. */
export const tooManyBodies = (): ConnectError =>
  new ConnectError("too many bytes of requests are being received: try again later", Code.ResourceExhausted);
