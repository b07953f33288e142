// Ids, names and times in the examples of the control API's OpenAPI document.

/** Path parameters. */
export const PATH_EXAMPLES: Readonly<Record<string, string>> = {
  accountId: 'acc_8sK2mPq4Zt',
  userId: 'usr_Jd83hsPq0aXw6TfN',
  keyId: 'key_8sK2mPq4ZtfL0aPz81YcQe',
  projectId: 'prj_x7Rb2Lq9Vd',
  deploymentId: 'dpl_h4Tz9Gm1Sf',
  tokenId: 'tok_x7Rb2Lq9VdQe81YcPaz0Wk',
  domainId: 'dom_p3Wn5Yc8Ke',
  invitationId: 'inv_8sK2mPq4ZtR4tY6uI8oP0a',
};

export const {
  accountId = '',
  userId = '',
  keyId = '',
  projectId = '',
  deploymentId = '',
  domainId = '',
  tokenId = '',
  invitationId = '',
} = PATH_EXAMPLES;
export const earlier = 'dpl_B6vN0kXr3J';
export const [host, apex, target] = ['www.my-shop.test', 'my-shop.test', 'k7mzq2v8r4xw5tnb.edge.petstore.test'];
export const [monday, tuesday] = ['2026-03-02T09:00:00.000Z', '2026-03-03T10:15:00.000Z'];
