/** Offers the bytes to the person as a download. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Revoking at once cancels the download in some browsers.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function saveText(name: string, text: string, type = 'text/csv'): void {
  saveFile(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** A file name out of anything a person may have typed. */
export function fileStem(...parts: string[]): string {
  const stem = parts
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return stem.slice(0, 80) || 'loadstone';
}
