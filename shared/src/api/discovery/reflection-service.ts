import type { DescService, MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type {
  ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from "@realmwatch/proto/grpc/reflection/v1/reflection_pb";
import type { ServerReflectionRequest as AlphaRequest } from "@realmwatch/proto/grpc/reflection/v1alpha/reflection_pb";
import { type DescriptorIndex, indexDescriptors } from "./descriptor-index.ts";

type Request = Pick<ServerReflectionRequest | AlphaRequest, "host" | "messageRequest">;
type Response = NonNullable<
  Extract<MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"], object>
>;

const missing = (what: string): Response => ({
  case: "errorResponse",
  value: { errorCode: Code.NotFound, errorMessage: `${what.slice(0, 200)} is not known here` },
});

const filesOr = (files: Uint8Array[] | undefined, name: string): Response =>
  files === undefined ? missing(name) : { case: "fileDescriptorResponse", value: { fileDescriptorProto: files } };

function answer(
  { case: kind, value }: Request["messageRequest"],
  index: DescriptorIndex,
  names: readonly string[],
): Response {
  switch (kind) {
    case "listServices":
      return { case: "listServicesResponse", value: { service: names.map((name) => ({ name })) } };
    case "fileByFilename":
      return filesOr(index.filesByPath(value), value);
    case "fileContainingSymbol":
      return filesOr(index.filesBySymbol(value), value);
    case "allExtensionNumbersOfType":
      return index.isMessage(value)
        ? { case: "allExtensionNumbersResponse", value: { baseTypeName: value, extensionNumber: [] } }
        : missing(value);
    case "fileContainingExtension":
      return missing(`extension ${value.extensionNumber} of ${value.containingType}`);
    default:
      return {
        case: "errorResponse",
        value: { errorCode: Code.InvalidArgument, errorMessage: "the request is empty" },
      };
  }
}

/** Implementation of gRPC's server reflection for `services`, the same for its versions v1 and v1alpha. */
export function reflectionService(services: readonly DescService[]) {
  const index = indexDescriptors(services);
  const names = services.map(({ typeName }) => typeName).sort();
  return {
    async *serverReflectionInfo(requests: AsyncIterable<Request>) {
      for await (const request of requests)
        yield {
          validHost: request.host,
          originalRequest: { host: request.host, messageRequest: request.messageRequest },
          messageResponse: answer(request.messageRequest, index, names),
        };
    },
  };
}
