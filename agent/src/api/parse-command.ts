import {
  type AcknowledgeProblemRequest,
  type AddCommentRequest,
  type DeleteCommentRequest,
  type SetContactNotificationsRequest,
  type SetObjectNotificationsRequest,
  type SetObjectToggleRequest,
  type SetProgramNotificationsRequest,
  type SetProgramToggleRequest,
  ObjectToggle as WireObjectToggle,
  ProgramToggle as WireProgramToggle,
} from "@realmwatch/proto/svc/v1/command_pb";
import type { Target } from "@realmwatch/proto/svc/v1/common_pb";
import type { Command } from "@realmwatch/shared/model/command";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { ObjectToggle, ProgramToggle } from "@realmwatch/shared/model/toggles";
import { timestampFromProto } from "@realmwatch/shared/wire/fields/time";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { malformed, missing, resolveObject, resolveRefs } from "./resolve-target.ts";

export type ParsedCommand = Result<Command, Refusal>;

const programToggles: Readonly<Partial<Record<WireProgramToggle, ProgramToggle>>> = {
  [WireProgramToggle.ACTIVE_CHECKS]: "activeChecks",
  [WireProgramToggle.PASSIVE_CHECKS]: "passiveChecks",
  [WireProgramToggle.EVENT_HANDLERS]: "eventHandlers",
  [WireProgramToggle.FLAP_DETECTION]: "flapDetection",
};

const objectToggles: Readonly<Partial<Record<WireObjectToggle, ObjectToggle>>> = {
  [WireObjectToggle.ACTIVE_CHECKS]: "activeChecks",
  [WireObjectToggle.PASSIVE_CHECKS]: "passiveChecks",
  [WireObjectToggle.EVENT_HANDLER]: "eventHandler",
  [WireObjectToggle.FLAP_DETECTION]: "flapDetection",
};

export function parseAcknowledge(realm: RealmReader, request: AcknowledgeProblemRequest): ParsedCommand {
  const { sticky, notify, comment, target } = request;
  const expiresAtMs = timestampFromProto("expiresAt", request.expiresAt);
  if (!expiresAtMs.ok) return expiresAtMs;
  const refs = resolveRefs(realm, target);
  if (!refs.ok) return refs;
  const expiry = expiresAtMs.value === undefined ? {} : { expiresAtMs: expiresAtMs.value };
  return ok({ kind: "acknowledge_problem", refs: refs.value, sticky, notify, comment, ...expiry });
}

/** Parses a command whose only argument is its target. */
export function parseTargeted(
  realm: RealmReader,
  target: Target | undefined,
  make: (refs: readonly string[]) => Command,
): ParsedCommand {
  const refs = resolveRefs(realm, target);
  return refs.ok ? ok(make(refs.value)) : refs;
}

// [CM3] Clients of a plain proto3 `bool` leave `enabled` out when it is false.
export const parseProgramNotifications = ({ enabled = false }: SetProgramNotificationsRequest): ParsedCommand =>
  ok({ kind: "set_program_notifications", enabled });

export const parseObjectNotifications = (
  realm: RealmReader,
  { target, enabled = false }: SetObjectNotificationsRequest,
): ParsedCommand => parseTargeted(realm, target, (refs) => ({ kind: "set_object_notifications", refs, enabled }));

export function parseContactNotifications(realm: RealmReader, request: SetContactNotificationsRequest): ParsedCommand {
  const { contact, enabled = false } = request;
  if (contact === "") return malformed("contact", "is required");
  if (!realm.plan.contacts.has(contact)) return missing("contact", `contact ${JSON.stringify(contact)}`);
  return ok({ kind: "set_contact_notifications", contact, enabled });
}

export function parseProgramToggle({ toggle: wire, enabled = false }: SetProgramToggleRequest): ParsedCommand {
  const toggle = programToggles[wire];
  if (toggle === undefined) return malformed("toggle", "is required");
  return ok({ kind: "set_program_toggle", toggle, enabled });
}

export function parseObjectToggle(
  realm: RealmReader,
  { toggle: wire, target, enabled = false }: SetObjectToggleRequest,
): ParsedCommand {
  const toggle = objectToggles[wire];
  if (toggle === undefined) return malformed("toggle", "is required");
  return parseTargeted(realm, target, (refs) => ({ kind: "set_object_toggle", refs, toggle, enabled }));
}

export function parseAddComment(
  realm: RealmReader,
  { target, text }: AddCommentRequest,
  mintId: () => string,
): ParsedCommand {
  if (target?.target.case === "objects") return malformed("target.objects", "a comment is on a single object");
  if (target?.target.case === "selector") return malformed("target.selector", "a comment is on a single object");
  if (target?.target.case !== "object") return malformed("target", "is required: an object");
  const record = resolveObject(realm, "target.object", target.target.value);
  return record.ok ? ok({ kind: "add_comment", ref: record.value.plan.ref, id: mintId(), text }) : record;
}

export function parseDeleteComment(realm: RealmReader, { commentId: id }: DeleteCommentRequest): ParsedCommand {
  if (id === "") return malformed("commentId", "is required");
  const ref = realm.commentRefs.get(id);
  return ref === undefined
    ? missing("commentId", `comment ${JSON.stringify(id)}`)
    : ok({ kind: "delete_comment", ref, id });
}
