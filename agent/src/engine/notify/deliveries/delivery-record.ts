import type { DeliveryProgress } from "@realmwatch/shared/model/notification";

/** Delivery of a notification to one contact. `decisionId`: as in `Notification`. */
export type DeliveryRecord = DeliveryProgress & { readonly decisionId: string };
