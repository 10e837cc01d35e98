/*
source: "thesis, Section 4.1, Figure 4"
statement: AES-E, ID, RAY and SAD are compute-bound; SHA1, JPG-D, NN, BPR and DVC are memory-bound.
unit: classes
parts: {AES-E: 1, ID: 1, RAY: 1, SAD: 1, SHA1: 0, JPEG-D: 0, NN: 0, BPR: 0, DVC: 0}
kind: input
configuration: surrogate curves are kept only where they are of the stated class (speed-up of 1.30 or more at 1.4 times the clock in all four machines of Figure 4)
differs: The classes are put into the curves, which are kept only if they agree with them.
*/
SELECT curve_set AS setting, app AS part, curve_set AS replicate, (min(speedup) >= 1.30)::DOUBLE AS value
FROM clock_speedup_gpu_sharing
WHERE clock = 1.4
GROUP BY ALL
