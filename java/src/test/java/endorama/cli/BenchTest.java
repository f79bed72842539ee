package endorama.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BenchTest {
    @Test
    void aBackEndMayNameSeveralDevices() {
        assertEquals("", Bench.devices("CPU"));
        assertEquals("", Bench.devices("CUDA"));
        assertEquals("0,1", Bench.devices("CUDA:2"));
        assertEquals("0,1,2,3,4,5,6,7", Bench.devices("CUDA:8"));
    }
}
