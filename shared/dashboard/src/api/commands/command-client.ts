import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  type AcknowledgeProblemRequestSchema,
  type AddCommentRequestSchema,
  CommandService,
  type DeleteCommentRequestSchema,
  type DeleteDowntimeRequestSchema,
  type RemoveAcknowledgementRequestSchema,
  type ScheduleCheckRequestSchema,
  type ScheduleDowntimeRequestSchema,
  type SetContactNotificationsRequestSchema,
} from "@realmwatch/proto/svc/v1/command_pb";
import { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";

/** Commands to a realm. Each resolves when the realm has accepted it; the effect becomes visible later. */
export type CommandClient = {
  acknowledge(realm: string, request: MessageInitShape<typeof AcknowledgeProblemRequestSchema>): Promise<unknown>;
  removeAcknowledgement(
    realm: string,
    request: MessageInitShape<typeof RemoveAcknowledgementRequestSchema>,
  ): Promise<unknown>;
  scheduleDowntime(
    realm: string,
    request: MessageInitShape<typeof ScheduleDowntimeRequestSchema>,
  ): Promise<{ downtimeIds: string[] }>;
  deleteDowntime(realm: string, request: MessageInitShape<typeof DeleteDowntimeRequestSchema>): Promise<unknown>;
  addComment(realm: string, request: MessageInitShape<typeof AddCommentRequestSchema>): Promise<{ commentId: string }>;
  deleteComment(realm: string, request: MessageInitShape<typeof DeleteCommentRequestSchema>): Promise<unknown>;
  scheduleCheck(realm: string, request: MessageInitShape<typeof ScheduleCheckRequestSchema>): Promise<unknown>;
  setContactNotifications(
    realm: string,
    request: MessageInitShape<typeof SetContactNotificationsRequestSchema>,
  ): Promise<unknown>;
};

/** Client of an agent. The realm name is ignored, because an agent has one realm. */
export function agentCommandClient(transport: Transport): CommandClient {
  const agent = createClient(CommandService, transport);
  return {
    acknowledge: (_realm, request) => agent.acknowledgeProblem(request),
    removeAcknowledgement: (_realm, request) => agent.removeAcknowledgement(request),
    scheduleDowntime: (_realm, request) => agent.scheduleDowntime(request),
    deleteDowntime: (_realm, request) => agent.deleteDowntime(request),
    addComment: (_realm, request) => agent.addComment(request),
    deleteComment: (_realm, request) => agent.deleteComment(request),
    scheduleCheck: (_realm, request) => agent.scheduleCheck(request),
    setContactNotifications: (_realm, request) => agent.setContactNotifications(request),
  };
}

/** Client of an aggregator, which forwards each command to the named realm. */
export function forwardedCommandClient(transport: Transport): CommandClient {
  const centre = createClient(RealmCommandService, transport);
  return {
    acknowledge: (realm, request) => centre.acknowledgeProblem({ realm, request }),
    removeAcknowledgement: (realm, request) => centre.removeAcknowledgement({ realm, request }),
    scheduleDowntime: (realm, request) => centre.scheduleDowntime({ realm, request }),
    deleteDowntime: (realm, request) => centre.deleteDowntime({ realm, request }),
    addComment: (realm, request) => centre.addComment({ realm, request }),
    deleteComment: (realm, request) => centre.deleteComment({ realm, request }),
    scheduleCheck: (realm, request) => centre.scheduleCheck({ realm, request }),
    setContactNotifications: (realm, request) => centre.setContactNotifications({ realm, request }),
  };
}
