// Frames of a tab: which there are, and which are not worth reading.

/** @typedef {import('devtools-protocol').Protocol.Page.FrameTree} FrameTree */
/** @typedef {import('devtools-protocol').Protocol.Page.Frame} Frame */

/** Frames of advertising, counting and short-lived challenges, by suffix of the host. */
const leftOutHosts = [
  '2mdn.net', 'adform.net', 'adnxs.com', 'adsrvr.org', 'amazon-adsystem.com', 'analytics.tiktok.com', 'analytics.twitter.com',
  'arkoselabs.com', 'bat.bing.com', 'bidswitch.net', 'casalemedia.com', 'challenges.cloudflare.com', 'clarity.ms',
  'connect.facebook.net', 'criteo.com', 'criteo.net', 'ct.pinterest.com', 'demdex.net', 'doubleclick.net',
  'google-analytics.com', 'googleadservices.com', 'googlesyndication.com', 'googletagmanager.com', 'hcaptcha.com',
  'hotjar.com', 'moatads.com', 'openx.net', 'outbrain.com', 'pubmatic.com', 'px.ads.linkedin.com', 'quantserve.com',
  'recaptcha.net', 'rubiconproject.com', 'scorecardresearch.com', 'snap.licdn.com', 'taboola.com',
];

/** @param {string} url @returns {boolean} */
export function leftOut(url) {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return leftOutHosts.some(suffix => host === suffix || host.endsWith('.' + suffix));
}

/** The frames of one session, parents first. @param {FrameTree} tree @returns {Frame[]} */
export function flatten(tree) {
  return [tree.frame, ...(tree.childFrames ?? []).flatMap(flatten)];
}

/** A frame's origin as location.origin gives it. @param {string} securityOrigin CDP's: "://" for data: and sandboxed frames */
export const originOf = securityOrigin => (/^[a-z][a-z0-9+.-]*:\/\/./i.test(securityOrigin) ? securityOrigin : 'null');
