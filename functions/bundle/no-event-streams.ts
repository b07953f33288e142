// Replaces @smithy/core/event-streams in bundles: nothing here streams events, but the SDK's dynamic import would add 20 KB to each cold start.

/** Stands in for the SDK's event-stream serializer. */
export class EventStreamSerde {
  constructor() {
    throw noEventStreams();
  }
}

/** Creates the serializer for a client. */
export const eventStreamSerdeProvider = (): never => {
  throw noEventStreams();
};

/** Called by clients when they are created. */
export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;

function noEventStreams(): Error {
  return new Error('functions/bundle/no-event-streams.ts: the bundles contain no event streams');
}
