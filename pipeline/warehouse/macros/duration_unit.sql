-- The unit of times that are said together: that in which the longest has one to three digits before the point.
-- longest: longest of them [s]
CREATE MACRO duration_unit(longest) AS
CASE WHEN longest >= 172800 THEN 'days' WHEN longest >= 7200 THEN 'h' WHEN longest >= 120 THEN 'min' ELSE 's' END;
