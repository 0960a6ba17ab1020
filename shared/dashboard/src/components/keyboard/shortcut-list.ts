/** Shortcuts in the order of the help dialog. */
export const shortcutList: readonly { keys: string; action: string }[] = [
  { keys: "/", action: "Search" },
  { keys: "j  k", action: "Next, previous row" },
  { keys: "Enter", action: "Open the row's object" },
  { keys: "x", action: "Select the row" },
  { keys: "a", action: "Acknowledge" },
  { keys: "d", action: "Schedule a downtime" },
  { keys: "c", action: "Comment" },
  { keys: "r", action: "Check now" },
  { keys: "g p", action: "Problems" },
  { keys: "g o", action: "All objects" },
  { keys: "g r", action: "Realms" },
  { keys: "g h", action: "History" },
  { keys: "g c", action: "Contacts" },
  { keys: "Esc", action: "Close a dialog" },
  { keys: "?", action: "This help" },
];
