// The schema with which stock middy validates a list's query, in both benchmarks that include it.

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
