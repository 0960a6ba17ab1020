import { labelsField } from "../parser/names.ts";
import { duration } from "../parser/numbers.ts";
import { string } from "../parser/scalars.ts";
import { type Fields, type StructOutput, withDefault } from "../parser/structs.ts";

/** Fields that contacts of every kind have. */
const commonFields = {
  labels: labelsField({ help: "Labels of the contact.", example: { team: "shop" } }),
  notification_period: withDefault(string, "", {
    help: "Period in which the contact is notified; empty: always. Other notifications wait until the period opens.",
    example: "waking-hours",
    constraint: "a key of `timeperiods`",
  }),
};

const digestFields = {
  ...commonFields,
  group_wait: withDefault(duration, 0, {
    help: "Time for which notifications are gathered into one message; `0s`: each is sent at once.",
    example: "30s",
  }),
};

/** Kind of contact in the configuration: its fields, and the part of the plan that is compiled from them. */
export type ContactKind<F extends Fields, P extends object> = {
  /** Sentence for the reference. */
  readonly summary: string;
  readonly fields: F;
  /** True when the kind runs a program, which the demo profile refuses. */
  readonly runsPrograms?: true;
  compile(document: StructOutput<F>): P;
};

/** Declares a kind that sends each notification on its own. `fields` are those beside the common ones. */
export const contactKind = <F extends Fields, P extends object>({
  fields,
  ...kind
}: Omit<ContactKind<F, P>, "compile"> & {
  compile(document: StructOutput<F & typeof commonFields>): P;
}): ContactKind<F & typeof commonFields, P> => ({ ...kind, fields: { ...fields, ...commonFields } });

/** Declares a kind that gathers notifications into digests: adds the field `group_wait`. */
export const digestContactKind = <F extends Fields, P extends object>({
  fields,
  ...kind
}: Omit<ContactKind<F, P>, "compile"> & {
  compile(document: StructOutput<F & typeof digestFields>): P;
}): ContactKind<F & typeof digestFields, P> => ({ ...kind, fields: { ...fields, ...digestFields } });
