// What stock middy validates a list's query with, in both benchmarks that have it beside us.

export const LIST_EVENT_SCHEMA = {
  type: 'object',
  properties: {
    queryStringParameters: {
      type: 'object',
      additionalProperties: false,
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 100 },
        status: { enum: ['available', 'pending', 'sold'] },
        cursor: { type: 'string' },
      },
    },
  },
};
