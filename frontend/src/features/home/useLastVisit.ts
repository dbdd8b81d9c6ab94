import { useEffect, useState } from 'react';

const KEY = 'loadstone.home.seen-at';

function readVisit(): number | null {
  try {
    const text = localStorage.getItem(KEY);
    return text === null ? null : Number(text);
  } catch {
    // Without storage every visit is the first one.
    return null;
  }
}

/** When this browser last left the home page, in Unix milliseconds; null the first time. */
export function useLastVisit(): number | null {
  const [lastVisit] = useState(readVisit);
  useEffect(() => {
    const leave = () => {
      try {
        localStorage.setItem(KEY, String(Date.now()));
      } catch {
        // See above.
      }
    };
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
  return lastVisit;
}
