import { useNarrow } from "../../components/layout/use-narrow.ts";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { EntryLink } from "./entry-link.tsx";
import { entryNote, type MapEntry } from "./map-entries.ts";
import { layOutMap, type PlacedEntry } from "./map-layout.ts";
import type { ObjectMap } from "./use-object-map.ts";

/** `lastKnown`: the statuses are those of a realm that is not current. */
type MapDrawingProps = { own: MapEntry; map: ObjectMap; width: number; lastKnown: boolean };

/** Drawing of a map. Its entries are links in the order of the columns, so that Tab moves and Enter opens. */
export function MapDrawing({ own, map, width, lastKnown }: MapDrawingProps) {
  // On a small screen the entries are as high as a finger.
  const nodeHeight = useNarrow() ? 40 : 28;
  const { height, nodes, lines, nodeWidth, letters } = layOutMap(
    { ...map, own },
    { width, nodeHeight, indirect: map.indirect },
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing with links in it, not a set of form fields
    <svg className="map-drawing" width={width} height={height} role="group" aria-label={`Map of ${own.text}`}>
      {lines.map(({ id, path, isIndirect }) => (
        <path key={id} className={isIndirect ? "map-line is-indirect" : "map-line"} d={path} />
      ))}
      {nodes.map((node) => (
        <MapNode
          key={node.entry.id}
          node={node}
          isOwn={node.entry === own}
          lastKnown={lastKnown}
          width={nodeWidth}
          height={nodeHeight}
          letters={letters}
        />
      ))}
    </svg>
  );
}

type MapNodeProps = {
  node: PlacedEntry;
  isOwn: boolean;
  lastKnown: boolean;
  width: number;
  height: number;
  letters: number;
};

function MapNode({ node: { entry, x, y }, isOwn, lastKnown, width, height, letters }: MapNodeProps) {
  const { text, status, item, isCause } = entry;
  const classes = [
    ...["map-node", isOwn && "is-own", isCause && "is-cause", item === undefined && "is-group"],
    lastKnown && "is-last-known",
  ];
  const shape = (
    <g className={classes.filter(Boolean).join(" ")} data-status={status} transform={`translate(${x} ${y})`}>
      <rect width={width} height={height} rx="6" />
      <g transform={`translate(9 ${height / 2 - 7})`}>
        <svg width="14" height="14" aria-hidden="true">
          <StatusIcon status={status} hollow={item?.handled === true || lastKnown} />
        </svg>
      </g>
      <text x="29" y={height / 2 + 4.5}>
        {shortened(text, letters - (isCause ? causeLetters : 0))}
      </text>
      {isCause && (
        <text className="map-cause" x={width - 8} y={height / 2 + 4.5} textAnchor="end">
          top cause
        </text>
      )}
    </g>
  );
  const name = [text, entryNote(entry, lastKnown)].filter(Boolean).join(", ");
  if (isOwn)
    return (
      <g>
        <title>{name}</title>
        {shape}
      </g>
    );
  return (
    <EntryLink entry={entry} className="map-link">
      <title>{name}</title>
      {shape}
    </EntryLink>
  );
}

/** Room for "top cause", letters. */
const causeLetters = 9;

const shortened = (text: string, letters: number): string =>
  text.length > letters ? `${text.slice(0, Math.max(1, letters - 1))}…` : text;
