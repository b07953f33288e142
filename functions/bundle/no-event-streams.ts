// Replaces @smithy/core/event-streams in the bundles. The functions call no operation that streams events, and the SDK's dynamic import of it keeps a
// third of its core from being left out: 20 KB of each cold start.

/** What the SDK would use for a stream of events. */
export class EventStreamSerde {
  constructor() {
    throw noEventStreams();
  }
}

/** Creates the serializer for a client. */
export const eventStreamSerdeProvider = (): never => {
  throw noEventStreams();
};

/** Clients call it when they are made. */
export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;

function noEventStreams(): Error {
  return new Error('functions/bundle/no-event-streams.ts: the bundles contain no event streams');
}
