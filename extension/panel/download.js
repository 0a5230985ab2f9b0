// Files that the person saves: bytes come from the host as base64.

/** @param {string} base64 @returns {Uint8Array<ArrayBuffer>} */
export const bytesOf = base64 => Uint8Array.from(atob(base64), char => char.charCodeAt(0));

/** Saves a file in the browser's downloads. @param {string} name @param {Uint8Array<ArrayBuffer>} bytes */
export function save(name, bytes) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the download reads it meanwhile
}
