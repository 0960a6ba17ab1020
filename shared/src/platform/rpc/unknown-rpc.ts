import type { HttpRequest, HttpResponse } from "../http/http-messages.ts";

const grpcContentType = /^application\/grpc(?:-web)?(?:-text)?(?:$|[+; ])/i;

/** Status `unimplemented` of gRPC. */
const unimplemented = "12";

/** True for a call by gRPC or gRPC-Web, whose clients expect an error in trailers and not as HTTP status. */
export const isGrpcCall = ({ method, headers }: HttpRequest): boolean =>
  method === "POST" && grpcContentType.test(headers["content-type"] ?? "");

/**
 * Answers a gRPC call of a method that is not served with `unimplemented`. Both protocols allow the trailers of a
 * response without body to be sent as its headers.
 */
export function refuseUnknownRpc(path: string, request: HttpRequest, response: HttpResponse): void {
  const method = path.replace(/[^\w./-]/g, "?").slice(1, 200);
  response.statusCode = 200;
  response.setHeader("content-type", request.headers["content-type"] ?? "application/grpc");
  response.setHeader("cache-control", "no-store");
  response.setHeader("grpc-status", unimplemented);
  response.setHeader("grpc-message", `${method} is not served here`);
  // Without a call of `writeHead` before, the headers end the stream, as clients expect of such a response.
  response.end();
}
