/** Chain configuration of the main network (Cypress), as in `kaia/params/config.go@v2.2.2`. */
import { publicTerms } from "./public-terms.ts";

/** The chain configuration, ready for `JSON.stringify`. */
export const mainnetConfig = {
  chainId: 8217,
  istanbulCompatibleBlock: 86_816_005,
  londonCompatibleBlock: 86_816_005,
  ethTxTypeCompatibleBlock: 86_816_005,
  magmaCompatibleBlock: 99_841_497,
  koreCompatibleBlock: 119_750_400,
  shanghaiCompatibleBlock: 135_456_000,
  cancunCompatibleBlock: 147_534_000,
  kaiaCompatibleBlock: 162_900_480,
  pragueCompatibleBlock: 190_670_000,
  osakaCompatibleBlock: 213_333_000,
  kip103CompatibleBlock: 119_750_400,
  kip103ContractAddress: "0xd5ad6d61dd87edabe2332607c328f5cc96aecb95",
  kip160CompatibleBlock: 162_900_480,
  kip160ContractAddress: "0xa4df15717da40077c0ad528296adbbd046579ee9",
  randaoCompatibleBlock: 147_534_000,
  randaoRegistry: {
    records: { KIP113: "0x3e80e75975bdb8e04b800485dd28bebec6d97679" },
    owner: "0x04992a2b7e7ce809d409ade32185d49a96aaa32d",
  },
  ...publicTerms("0x52d41ca72af615a1ac3301b0a93efa222ecc7541"),
};
