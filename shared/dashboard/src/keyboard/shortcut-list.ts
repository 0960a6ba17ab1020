/** The keys as the help shows them. */
export const shortcutList: readonly { keys: string; does: string }[] = [
  { keys: "/", does: "Search" },
  { keys: "j  k", does: "Next, previous row" },
  { keys: "Enter", does: "Open the row's object" },
  { keys: "x", does: "Select the row" },
  { keys: "a", does: "Acknowledge" },
  { keys: "d", does: "Schedule a downtime" },
  { keys: "c", does: "Comment" },
  { keys: "r", does: "Check now" },
  { keys: "g p", does: "Problems" },
  { keys: "g o", does: "All objects" },
  { keys: "g r", does: "Realms" },
  { keys: "g h", does: "History" },
  { keys: "g c", does: "Contacts" },
  { keys: "Esc", does: "Close a dialog" },
  { keys: "?", does: "This help" },
];
