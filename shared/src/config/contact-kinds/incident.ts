import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { contactKind } from "./contact-kind.ts";

export const incidentKind = contactKind({
  summary: "An alert for an incident service, with `-incident-token`.",
  uses: "none",
  fields: {
    alert_source_config_id: required(nonEmptyString, {
      help: "Id of the alert source.",
      example: "01HX5Z3T8K",
      secret: true,
    }),
  },
  compile: ({ alert_source_config_id: alertSourceConfigId }) => ({ alertSourceConfigId }),
});
