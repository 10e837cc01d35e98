-- When two schedulers are a tie: the largest difference of their means at which the simpler one is recommended. It is half
-- the paired 95 % interval, but at most 0.01 (of a share, or as a relative difference); from fewer than five replicates an
-- interval says little, and the bound is `few`.
-- half: half the paired 95 % interval; null for one replicate
-- replicates: independent pairs
-- few: bound with fewer than five of them
CREATE MACRO tie_bound(half, replicates, few := 0.001) AS
CASE WHEN replicates >= 5 THEN least(half, 0.01::DOUBLE) ELSE few::DOUBLE END;
