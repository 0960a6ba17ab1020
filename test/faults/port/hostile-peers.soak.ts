import { testHostilePeers } from "./run-hostile-peers.ts";

/** Two minutes of each attack: longer than the deadlines of requests and of connections. */
testHostilePeers(120);
