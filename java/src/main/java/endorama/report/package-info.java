/** The report of a mosaic: one HTML page with everything in it, for a reader who knows nothing of how it was computed. */
package endorama.report;
