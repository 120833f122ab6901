// Größe: ein Kommentar mit Umlauten ist erlaubt
	MARK "größer als"
	/* µ-op */ ADDD	r1	r2	r3
  /* 日本語 */ ADDD r1 r2 r3
