/**
 * Where frames lie, by all pairs together: the solution, which pairs are still to be looked at, and what pairs say
 * together that none of them says alone (lens, perspective, drift, tears). Names {@code frames}, {@code transforms}
 * and {@code pairs}.
 */
package endorama.core.places;
