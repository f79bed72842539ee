/**
 * Runs over a sequence: their stages and results, tables, files between stages; known transforms applied and measured. Names
 * all packages below but {@code volumes}.
 */
package endorama.core.mosaic;
