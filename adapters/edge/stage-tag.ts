// A separate file, so that the constructs can use it without loading AWS's SDK.

/** The tag that holds the stage's name on each tenant; the functions' policies permit creating tenants only with this tag. */
export const STAGE_TAG = 'petstore:stage';
